import { render } from 'preact';
import { DocsPage } from './docs_page.tsx';

const root = document.getElementById('app');
if (root) render(<DocsPage />, root);
