import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type RowRange, rowRangeOf } from './row_range.ts';

/**
 * A list that renders only the rows in the viewport. All rows have the same height. The page
 * scrolls, so there is one scrollbar. `row` renders the row at an index and sets its key.
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
  const [range, setRange] = useState<RowRange>({ first: 0, last: Math.min(count, 40) });

  useEffect(() => {
    let frame = 0;
    const update = () => {
      frame = 0;
      const top = list.current?.getBoundingClientRect().top;
      if (top === undefined) return;
      const next = rowRangeOf(top, innerHeight, rowHeight, count);
      setRange((last) => (last.first === next.first && last.last === next.last ? last : next));
    };
    const schedule = () => {
      frame ||= requestAnimationFrame(update);
    };
    update();
    addEventListener('scroll', schedule, { passive: true });
    addEventListener('resize', schedule);
    return () => {
      removeEventListener('scroll', schedule);
      removeEventListener('resize', schedule);
      cancelAnimationFrame(frame);
    };
  }, [count, rowHeight]);

  const last = Math.min(range.last, count);
  const first = Math.min(range.first, last);
  const indexes = Array.from({ length: last - first }, (_, offset) => first + offset);
  return (
    <div ref={list} class="rows" role={role} style={{ height: `${count * rowHeight}px` }}>
      <div role="presentation" style={{ transform: `translateY(${first * rowHeight}px)` }}>
        {indexes.map(row)}
      </div>
    </div>
  );
}
