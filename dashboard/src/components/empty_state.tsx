import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

/** An empty, error or offline state: what this area shows and what the user can do next. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon: IconName;
  title: string;
  children?: ComponentChildren;
  action?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <Icon name={icon} />
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}
