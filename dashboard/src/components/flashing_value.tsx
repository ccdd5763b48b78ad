import { useLayoutEffect, useRef } from 'preact/hooks';

const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

/** Between two flashes of one number: a feed that moves it ten times a second would flicker, and painting all that is the page's work. */
const MIN_FLASH_INTERVAL_MS = 2500;

/** A number that flashes once and softly when it changes, and keeps its room. Not on its first showing, not where motion is unwelcome. */
export function FlashingValue({ text, title }: { text: string; title?: string }) {
  const place = useRef<HTMLSpanElement>(null);
  const last = useRef(text);
  const flashed = useRef(-MIN_FLASH_INTERVAL_MS);
  useLayoutEffect(() => {
    if (last.current === text) return;
    last.current = text;
    const now = performance.now();
    if (reducedMotion.matches || now - flashed.current < MIN_FLASH_INTERVAL_MS) return;
    flashed.current = now;
    // The animation's own colour ends in whatever the cell has: no class to take away, no second layout.
    place.current?.animate([{ backgroundColor: 'var(--flash)' }, { backgroundColor: 'transparent' }], {
      duration: 900,
      easing: 'ease-out',
    });
  }, [text]);
  return (
    <span ref={place} class="changing" title={title}>
      {text}
    </span>
  );
}
