import { render } from 'preact';
import { ReferencePage } from './reference_page.tsx';

const root = document.getElementById('app');
if (root) render(<ReferencePage />, root);
