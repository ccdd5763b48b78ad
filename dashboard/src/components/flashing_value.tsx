import { useLayoutEffect, useRef } from 'preact/hooks';

const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');

/** A value that changes ten times a second would flicker, and each flash costs paint time. */
const MIN_FLASH_INTERVAL_MS = 2500;

/**
 * A value that flashes once when it changes. It does not flash on first render or with reduced
 * motion.
 */
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
    // An animation needs no class that must be removed, and causes no layout.
    place.current?.animate([{ backgroundColor: 'var(--flash)' }, { backgroundColor: 'transparent' }], {
      duration: 900,
      easing: 'ease-out',
    });
  }, [text]);
  return (
    <span ref={place} class="flashing-value" title={title}>
      {text}
    </span>
  );
}
