import { useEffect, useRef, useState } from 'preact/hooks';

/** Whether the media query matches now; renders again when that changes. */
export function useMediaQuery(query: string): boolean {
  const media = useRef(matchMedia(query));
  const [matches, setMatches] = useState(media.current.matches);
  useEffect(() => {
    const list = media.current;
    const update = () => setMatches(list.matches);
    list.addEventListener('change', update);
    return () => list.removeEventListener('change', update);
  }, []);
  return matches;
}
