import { render } from 'preact';
import './components/tokens.css';
import './components/base.css';
import './components/controls.css';
import './components/components.css';
import { App } from './app.tsx';

const root = document.getElementById('app');
if (root) render(<App />, root);
