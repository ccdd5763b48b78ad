import { Icon } from '../components/icon.tsx';

/** Puts a market on the watch list of this browser, or takes it off. */
export function WatchButton({ watched, title, onToggle }: { watched: boolean; title: string; onToggle(): void }) {
  return (
    <button
      type="button"
      class={`watch ${watched ? 'is-watched' : ''}`}
      aria-pressed={watched}
      aria-label={`Watch ${title}`}
      title={watched ? 'On your watch list. Press to take it off.' : 'Put on your watch list'}
      onClick={onToggle}
    >
      <Icon name="star" />
    </button>
  );
}
