import { useEffect, useState } from 'preact/hooks';

/** The width under which a row of the key list is a small card; keys.css has the same. */
const query = matchMedia('(max-width: 900px)');

export function useNarrowLayout(): boolean {
  const [narrow, setNarrow] = useState(query.matches);
  useEffect(() => {
    const look = () => setNarrow(query.matches);
    query.addEventListener('change', look);
    return () => query.removeEventListener('change', look);
  }, []);
  return narrow;
}
