import { useId, useRef } from 'preact/hooks';
import { CopyableText } from '../components/copyable_text.tsx';
import { chooseLanguage, type Sample, useSampleLanguage } from './sample_language.ts';

/**
 * A code sample in several languages. The tabs follow the WAI-ARIA pattern: one tab is in the tab
 * order, and the arrow keys, Home and End select another. The selection applies to all samples.
 */
export function CodeTabs({ label, samples }: { label: string; samples: readonly Sample[] }) {
  const language = useSampleLanguage();
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const found = samples.findIndex((sample) => sample.language === language);
  const selected = Math.max(0, found);
  const sample = samples[selected];

  const select = (index: number) => {
    const next = samples[(index + samples.length) % samples.length];
    if (!next) return;
    const before = list.current?.getBoundingClientRect().top ?? 0;
    chooseLanguage(next.language);
    // Samples above change their height too. Keeps this one where it is in the viewport.
    requestAnimationFrame(() => {
      const moved = (list.current?.getBoundingClientRect().top ?? 0) - before;
      if (Math.abs(moved) >= 1) scrollBy({ top: moved, behavior: 'instant' });
      list.current?.querySelector<HTMLElement>('[aria-selected=true]')?.focus({ preventScroll: true });
    });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const target = { ArrowRight: selected + 1, ArrowLeft: selected - 1, Home: 0, End: samples.length - 1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    select(target);
  };

  if (!sample) return null;
  return (
    <div class="code-tabs">
      <div ref={list} role="tablist" aria-label={`Language of ${label}`} onKeyDown={onKeyDown}>
        {samples.map((one, index) => (
          <button
            key={one.language}
            id={`${id}-${one.language}`}
            type="button"
            role="tab"
            aria-selected={index === selected}
            aria-controls={`${id}-panel`}
            tabIndex={index === selected ? 0 : -1}
            onClick={() => select(index)}
          >
            {one.label}
          </button>
        ))}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${sample.language}`}>
        <CopyableText text={sample.text} label={`${label} in ${sample.label}`} />
      </div>
    </div>
  );
}
