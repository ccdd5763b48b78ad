import { Icon } from '../components/icon.tsx';
import { pages } from '../pages.ts';
import { isOperator } from '../session/organizations.ts';
import { useSession } from '../session/session.tsx';

/** Links to the pages, and to the documentation, which is a separate document. */
export function Navigation({ path }: { path: string }) {
  const { state } = useSession();
  const operates = state.name === 'in' && isOperator(state.organizations);
  const here = path === '/market' ? '/markets' : path;
  return (
    <nav aria-label="Pages">
      <ul class="navigation">
        {pages.map(
          ({ path: to, title, icon, operators }) =>
            icon &&
            (!operators || operates) && (
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
