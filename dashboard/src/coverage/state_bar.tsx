import { eventsIn, type StateCounts, states } from './coverage.ts';

/**
 * The states of the events as parts of a bar, each with its own pattern. The numbers are next to
 * it as text.
 */
export function StateBar({ counts }: { counts: StateCounts }) {
  return (
    <div class="state-bar" aria-hidden="true">
      {states.map(({ state }) => {
        const many = eventsIn(counts, state);
        return many > 0 && <span key={state} class={`state-part ${state}`} style={{ flexGrow: many }} />;
      })}
    </div>
  );
}
