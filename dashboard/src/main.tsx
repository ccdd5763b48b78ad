import { render } from 'preact';
import { StatusPage } from './status_page.tsx';

const root = document.getElementById('app');
if (root) render(<StatusPage />, root);
