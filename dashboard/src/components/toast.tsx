import { useEffect, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

type Toast = { id: number; text: string; isError: boolean };

let shown: Toast[] = [];
let lastId = 0;
const listeners = new Set<(toasts: Toast[]) => void>();

function show(next: Toast[]): void {
  shown = next;
  for (const listener of listeners) listener(next);
}

/**
 * Shows a message at the bottom right for six seconds. Use a dialog for anything that needs an
 * answer.
 */
export function showToast(text: string, isError = false): void {
  const toast = { id: ++lastId, text, isError };
  show([...shown.slice(-2), toast]);
  setTimeout(() => show(shown.filter((one) => one.id !== toast.id)), 6000);
}

/** The toast area. The app renders it once. */
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
          <Icon name={toast.isError ? 'warning' : 'check'} />
          {toast.text}
        </p>
      ))}
    </div>
  );
}
