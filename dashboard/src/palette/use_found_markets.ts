import { useEffect, useState } from 'preact/hooks';
import { go } from '../router.ts';
import { callRpc } from '../session/rpc.ts';
import { useSession } from '../session/session.tsx';
import type { Command } from './palette.ts';

/** Long enough to type the next letter. */
const PAUSE_MS = 180;
const MIN_CHARACTERS = 2;

type FoundMarket = { id: string; title: string; status: string; competition: string | null; category: string };

type Search = { text: string; markets: Command[]; error?: string };

/** The markets that `GET /v2/search` finds. `isSearching` until the result of this text is here. */
export function useFoundMarkets(text: string): { markets: Command[]; isSearching: boolean; error?: string } {
  const { state } = useSession();
  const client = state.name === 'in' ? state.client : undefined;
  const wanted = client !== undefined && text.trim().length >= MIN_CHARACTERS ? text.trim() : '';
  const [found, setFound] = useState<Search>({ text: '', markets: [] });
  useEffect(() => {
    if (client === undefined || wanted === '') return;
    let isStale = false;
    const timer = setTimeout(async () => {
      const search = await callRpc<FoundMarket[]>(client, 'search_markets', { p_q: wanted }).then(
        (markets): Search => ({ text: wanted, markets: markets.map(commandOf) }),
        (error: Error): Search => ({ text: wanted, markets: [], error: error.message }),
      );
      if (!isStale) setFound(search);
    }, PAUSE_MS);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [client, wanted]);
  if (wanted === '') return { markets: [], isSearching: false };
  return { ...found, isSearching: found.text !== wanted };
}

const commandOf = ({ id, title, competition, category, status }: FoundMarket): Command => ({
  ...{ id, kind: 'Market', icon: 'markets', title, words: `${competition ?? category}, ${status}` },
  run: () => go(`/market?id=${encodeURIComponent(id)}`),
});
