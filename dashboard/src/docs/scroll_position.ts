import { useEffect, useState } from 'preact/hooks';

/** The id of the section that the reader is in: the last one whose top has passed the upper third of the window. */
export function useScrollPosition(ids: readonly string[]): string {
  const [here, setHere] = useState(ids[0] ?? '');
  useEffect(() => {
    let asked = 0;
    const look = () => {
      asked = 0;
      const line = innerHeight / 3;
      const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
      const passed = ids.filter((id) => (document.getElementById(id)?.getBoundingClientRect().top ?? Infinity) < line);
      setHere((atEnd ? ids.at(-1) : passed.at(-1)) ?? ids[0] ?? '');
    };
    const onScroll = () => {
      asked ||= requestAnimationFrame(look);
    };
    look();
    addEventListener('scroll', onScroll, { passive: true });
    return () => {
      removeEventListener('scroll', onScroll);
      cancelAnimationFrame(asked);
    };
  }, [ids]);
  return here;
}
