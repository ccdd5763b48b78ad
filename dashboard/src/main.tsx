import { render } from 'preact';
import './parts/tokens.css';
import './parts/base.css';
import './parts/controls.css';
import './parts/parts.css';
import { App } from './app.tsx';

const root = document.getElementById('app');
if (root) render(<App />, root);
