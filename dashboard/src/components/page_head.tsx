import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { takeFocus } from '../router.ts';

/** Title and question of a page. Sets the document title and takes the focus after a navigation. */
export function PageHead({
  title,
  children,
  actions,
}: {
  title: string;
  children?: ComponentChildren;
  actions?: ComponentChildren;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Parallax`;
  }, [title]);
  useEffect(() => {
    if (takeFocus()) heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <header class="page-head">
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {children && <p>{children}</p>}
      </div>
      {actions && <div class="buttons">{actions}</div>}
    </header>
  );
}
