import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Rows beyond the window's edges that are drawn as well, so that a quick scroll shows no gap. */
const margin = 8;

export type Slice = { first: number; last: number };

/** Which of `count` rows of one height lie in a window of `height`, when the list's top is `top` below the window's. `last` is exclusive. */
export function sliceOf(top: number, height: number, rowHeight: number, count: number): Slice {
  const first = Math.max(0, Math.min(count, Math.floor(-top / rowHeight) - margin));
  const last = Math.max(first, Math.min(count, Math.ceil((height - top) / rowHeight) + margin));
  return { first, last };
}

/**
 * A list of thousands of rows of one height, of which only those in the window are drawn; the page itself scrolls, so there is one
 * scrollbar. `row` gets an index and draws the row; its key is its own.
 */
export function Windowed({
  count,
  rowHeight,
  row,
  role = 'rowgroup',
}: {
  count: number;
  rowHeight: number;
  row(index: number): ComponentChildren;
  role?: 'rowgroup' | 'list';
}) {
  const list = useRef<HTMLDivElement>(null);
  const [slice, setSlice] = useState<Slice>({ first: 0, last: Math.min(count, 40) });

  useEffect(() => {
    let asked = 0;
    const look = () => {
      asked = 0;
      const top = list.current?.getBoundingClientRect().top;
      if (top === undefined) return;
      const next = sliceOf(top, innerHeight, rowHeight, count);
      setSlice((last) => (last.first === next.first && last.last === next.last ? last : next));
    };
    const ask = () => {
      asked ||= requestAnimationFrame(look);
    };
    look();
    addEventListener('scroll', ask, { passive: true });
    addEventListener('resize', ask);
    return () => {
      removeEventListener('scroll', ask);
      removeEventListener('resize', ask);
      cancelAnimationFrame(asked);
    };
  }, [count, rowHeight]);

  const last = Math.min(slice.last, count);
  const first = Math.min(slice.first, last);
  const indexes = Array.from({ length: last - first }, (_, offset) => first + offset);
  return (
    <div ref={list} class="rows" role={role} style={{ height: `${count * rowHeight}px` }}>
      <div role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
        {indexes.map(row)}
      </div>
    </div>
  );
}
