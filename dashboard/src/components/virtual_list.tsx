import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type RowRange, rowRangeOf } from './row_range.ts';

/**
 * A list of thousands of rows of one height, of which only those in the window are drawn; the page itself scrolls, so there is one
 * scrollbar. `row` gets an index and draws the row; its key is its own.
 */
export function VirtualList({
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
  const [slice, setSlice] = useState<RowRange>({ first: 0, last: Math.min(count, 40) });

  useEffect(() => {
    let asked = 0;
    const look = () => {
      asked = 0;
      const top = list.current?.getBoundingClientRect().top;
      if (top === undefined) return;
      const next = rowRangeOf(top, innerHeight, rowHeight, count);
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
