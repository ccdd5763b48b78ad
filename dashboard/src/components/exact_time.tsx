import { useEffect, useState } from 'preact/hooks';
import { exactLocal, exactUtc } from './format.ts';

const TIP_ID = 'exact-time';

type Tip = { utc: string; local: string | null; left: number; top: number; isAbove: boolean };

/**
 * Shows the exact time of each `<time datetime>` of the page on hover and on focus, in UTC and in
 * the time zone of the browser. The app renders it once.
 */
export function ExactTime() {
  const [tip, setTip] = useState<Tip>();
  useEffect(() => {
    let shown: HTMLTimeElement | undefined;
    const hide = () => {
      shown?.removeAttribute('aria-describedby');
      shown = undefined;
      setTip(undefined);
    };
    const show = ({ target }: Event) => {
      if (!(target instanceof Element) || target.closest(`#${TIP_ID}`)) return;
      const time = target.closest<HTMLTimeElement>('time[datetime]') ?? undefined;
      if (time === shown) return;
      hide();
      if (!time) return;
      shown = time;
      time.setAttribute('aria-describedby', TIP_ID);
      setTip(tipOf(time));
    };
    const onKeyDown = ({ key }: KeyboardEvent) => {
      if (key === 'Escape' && shown) hide();
    };
    document.addEventListener('pointerover', show);
    document.addEventListener('focusin', show);
    document.addEventListener('focusout', hide);
    document.addEventListener('keydown', onKeyDown);
    addEventListener('scroll', hide, true);
    return () => {
      document.removeEventListener('pointerover', show);
      document.removeEventListener('focusin', show);
      document.removeEventListener('focusout', hide);
      document.removeEventListener('keydown', onKeyDown);
      removeEventListener('scroll', hide, true);
    };
  }, []);
  if (!tip) return null;
  return (
    <div
      id={TIP_ID}
      role="tooltip"
      class={`exact-time ${tip.isAbove ? 'is-above' : ''}`}
      style={{ left: `${tip.left}px`, top: `${tip.top}px` }}
    >
      <span>{tip.utc}</span>
      {tip.local && <span>{tip.local}, your time</span>}
    </div>
  );
}

/** Half of the width of two lines, by which the tip stays inside the window. */
const HALF_WIDTH = 130;
const HEIGHT = 64;

function tipOf(time: HTMLTimeElement): Tip {
  // The title of a time may have milliseconds. The browser would show it a second time.
  const title = time.title || (time.dataset.exact ?? '');
  if (time.title) {
    time.dataset.exact = time.title;
    time.removeAttribute('title');
  }
  const { left, width, top, bottom } = time.getBoundingClientRect();
  const isAbove = bottom + HEIGHT > innerHeight;
  return {
    utc: title || exactUtc(time.dateTime),
    local: exactLocal(time.dateTime),
    left: Math.min(Math.max(left + width / 2, HALF_WIDTH), Math.max(HALF_WIDTH, innerWidth - HALF_WIDTH)),
    top: isAbove ? top : bottom,
    isAbove,
  };
}
