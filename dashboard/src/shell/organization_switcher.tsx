import { Icon } from '../components/icon.tsx';
import { Menu } from '../components/menu.tsx';
import { useMember, useSession } from '../session/session.tsx';

/** Shows and switches the organization that the user acts for. */
export function OrganizationSwitcher() {
  const { organization, organizations } = useMember();
  const session = useSession();
  return (
    <Menu
      label="Organization"
      kind="switch"
      button={
        <>
          <span class="switch-name">
            <strong>{organization.name}</strong>{' '}
            <span class="small muted">
              {organization.tier}
              {organization.status === 'inactive' && ' · inactive'} · {organization.role}
            </span>
          </span>
          <Icon name="down" />
        </>
      }
    >
      {(close) => (
        <>
          {organizations.map((one) => (
            <button
              key={one.org_id}
              type="button"
              class="entry"
              aria-current={one.org_id === organization.org_id}
              onClick={() => {
                session.choose(one.org_id);
                close();
              }}
            >
              <span class="switch-name">
                <span>{one.name}</span>
              </span>
              {one.org_id === organization.org_id && <Icon name="check" />}
            </button>
          ))}
          <hr />
          <a class="entry" href="/team?join" onClick={close}>
            <Icon name="plus" />
            Join with a code
          </a>
        </>
      )}
    </Menu>
  );
}
