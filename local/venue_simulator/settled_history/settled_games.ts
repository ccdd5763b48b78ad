import type { Fixture } from '../universe/calendar/fixture.ts';
import { playedGame } from '../universe/games/game_end.ts';
import { payOf } from '../universe/games/games_a.ts';
import { wonOnB } from '../universe/games/games_b.ts';
import { paysOnA } from '../universe/lines/lines_a.ts';
import { paysOnB } from '../universe/lines/lines_b.ts';
import { type LineFamily, lineup, sharedLines } from '../universe/lines/lineup.ts';
import type { ContractA, MarketB } from '../universe/question.ts';
import { type Paid, paidTo } from '../world/settlement_verdict.ts';
import type { Occasion } from './history_table.ts';

/**
 * How a past game and its lines settled: by the very draws and payouts that settle the games to come, without making their listings,
 * which nobody could read any more. Games that were no twins, or whose texts were not to be trusted, are no occasion.
 */
export function settledGame(seed: number, fixture: Fixture): Occasion[] {
  if (fixture.on !== 'both' || fixture.lookalike !== null || fixture.caution !== null) return [];
  const game = playedGame(seed, fixture);
  const outcomes = Array.from({ length: fixture.league.ways }, (_, i) => i);
  const paid = outcomes.map((i) => paidTo(contractOf(payOf(game.onA, i)), 'yes', marketOf(wonOnB(game.onB, i)), 0));
  const series = game.ticker.slice(0, game.ticker.indexOf('-'));
  return [{ series, family: 'moneyline', paid }, ...(fixture.lines ? settledLines(seed, fixture, game) : [])];
}

function settledLines(seed: number, fixture: Fixture, game: ReturnType<typeof playedGame>): Occasion[] {
  const { series } = fixture.league.scoring ?? {};
  const lines = lineup({ seed, fixture, ...game });
  const shared = sharedLines(fixture, lines);
  const occasion = (family: LineFamily, ticker: string | null | undefined): Occasion[] => {
    if (!ticker) return [];
    const paid = shared[family].flatMap((line): Paid[] => {
      const contract = contractOf(paysOnA[family](lines.score, line));
      const market = marketOf(paysOnB[family](lines.score, line));
      return [paidTo(contract, 'yes', market, 0), paidTo(contract, 'no', market, 1)];
    });
    return [{ series: ticker, family, paid }];
  };
  return [
    ...occasion('total', series?.total),
    ...occasion('spread', series?.spread),
    ...occasion('team_total', series?.teamTotal),
  ];
}

type PaysFirst<T extends { pays: unknown }> = Pick<T, 'pays'>;

/** A contract of which only is known what it pays. */
const contractOf = (pays: boolean | number): PaysFirst<ContractA> => ({
  pays: typeof pays === 'number' ? pays : pays ? 'yes' : 'no',
});
const marketOf = (won: boolean | 'split'): PaysFirst<MarketB> => ({ pays: won === 'split' ? won : won ? 0 : 1 });
