import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

type Toast = { id: number; text: string; fault: boolean };

let shown: Toast[] = [];
let lastId = 0;
const listeners = new Set<(toasts: Toast[]) => void>();

function show(next: Toast[]): void {
  shown = next;
  for (const listener of listeners) listener(next);
}

/** Says what has just been done, below on the right, for six seconds. What needs an answer is a dialog instead. */
export function showToast(text: string, fault = false): void {
  const toast = { id: ++lastId, text, fault };
  show([...shown.slice(-2), toast]);
  setTimeout(() => show(shown.filter((one) => one.id !== toast.id)), 6000);
}

/** Where they appear; stands once, in the shell. */
export function Toasts() {
  const [toasts, setToasts] = useState(shown);
  useEffect(() => {
    listeners.add(setToasts);
    return () => void listeners.delete(setToasts);
  }, []);
  return (
    <div class="toasts" role="status">
      {toasts.map((toast) => (
        <p key={toast.id} class="toast">
          <Icon name={toast.fault ? 'warning' : 'check'} />
          {toast.text}
        </p>
      ))}
    </div>
  );
}
