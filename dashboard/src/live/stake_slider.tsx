import { useState } from 'preact/hooks';
import { count, dollars } from '../components/format.ts';
import { MAX_STAKE, MIN_STAKE, parseStake, placeOf, stakes } from './stake.ts';

/** Sets the stake for all cards: a slider, and a field for an exact amount. */
export function StakeSlider({ stake, onChange }: { stake: number; onChange(stake: number): void }) {
  const [typed, setTyped] = useState<string>();
  const isWrong = typed !== undefined && parseStake(typed) === null;
  return (
    <div class="card stake">
      <label class="stake-slider">
        <span>Stake</span>
        <input
          type="range"
          min={0}
          max={stakes.length - 1}
          step={1}
          value={placeOf(stake)}
          aria-label="Stake"
          aria-valuetext={dollars(stake)}
          onInput={(event) => {
            setTyped(undefined);
            onChange(stakes[Number(event.currentTarget.value)] ?? stake);
          }}
        />
      </label>
      <label class="stake-field">
        <span aria-hidden="true">$</span>
        <input
          class="input"
          inputMode="decimal"
          aria-label="Stake in dollars"
          aria-invalid={isWrong}
          aria-describedby="stake-limits"
          value={typed ?? String(stake)}
          onInput={(event) => {
            const text = event.currentTarget.value;
            setTyped(text);
            const next = parseStake(text);
            if (next !== null) onChange(next);
          }}
          onBlur={() => setTyped(undefined)}
        />
      </label>
      <p id="stake-limits" class={`small ${isWrong ? 'problem' : 'muted'}`}>
        {isWrong
          ? `Enter an amount from $${MIN_STAKE} to $${count(MAX_STAKE)}.`
          : 'What each opportunity returns on this stake, fees included.'}
      </p>
    </div>
  );
}
