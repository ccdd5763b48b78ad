import { Icon } from '../components/icon.tsx';
import { pages } from '../pages.ts';

/** The pages, and the reference, which is a document of its own. */
export function Navigation({ path }: { path: string }) {
  const here = path === '/market' ? '/markets' : path;
  return (
    <nav aria-label="Pages">
      <ul class="navigation">
        {pages.map(
          ({ path: to, title, icon }) =>
            icon && (
              <li key={to}>
                <a href={to} aria-current={here === to ? 'page' : undefined}>
                  <Icon name={icon} />
                  {title}
                </a>
              </li>
            ),
        )}
        <li>
          <a href="/docs/">
            <Icon name="docs" />
            Docs
          </a>
        </li>
      </ul>
    </nav>
  );
}
