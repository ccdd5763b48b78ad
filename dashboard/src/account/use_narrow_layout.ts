import { useEffect, useState } from 'preact/hooks';

/** Below this width a key row is laid out as a card. keys.css has the same breakpoint. */
const query = matchMedia('(max-width: 900px)');

export function useNarrowLayout(): boolean {
  const [narrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const update = () => setNarrow(query.matches);
    query.addEventListener('change', update);
    return () => query.removeEventListener('change', update);
  }, []);
  return narrow;
}
