import type { Fixture } from '../universe/calendar/fixture.ts';
import { payoutOf } from '../universe/games/games_a.ts';
import { wonOnB } from '../universe/games/games_b.ts';
import { playedGame } from '../universe/games/played_game.ts';
import { paysOnA } from '../universe/lines/lines_a.ts';
import { paysOnB } from '../universe/lines/lines_b.ts';
import { type LineFamily, lineup, sharedLines } from '../universe/lines/lineup.ts';
import type { ContractA, MarketB } from '../universe/question.ts';
import { type Paid, paidTo } from '../world/settlement_verdict.ts';
import type { Occasion } from './history_table.ts';

/**
 * The settlement of a past game and its lines, by the same draws and payouts as coming games, but
 * without their listings, which no client could read. Games without a twin, or with defective
 * texts, do not count.
 */
export function settledGame(seed: number, fixture: Fixture): Occasion[] {
  if (fixture.on !== 'both' || fixture.lookalike !== null || fixture.defect !== null) return [];
  const game = playedGame(seed, fixture);
  const outcomes = Array.from({ length: fixture.league.ways }, (_, i) => i);
  const paid = outcomes.map((i) => paidTo(contractOf(payoutOf(game.onA, i)), 'yes', marketOf(wonOnB(game.onB, i)), 0));
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

/** A contract with only its payout. */
const contractOf = (pays: boolean | number): PaysFirst<ContractA> => ({
  pays: typeof pays === 'number' ? pays : pays ? 'yes' : 'no',
});
const marketOf = (won: boolean | 'split'): PaysFirst<MarketB> => ({ pays: won === 'split' ? won : won ? 0 : 1 });
