import { useEffect, useRef } from 'preact/hooks';
import { say } from '../components/toast.tsx';
import { useAsking } from '../session/asking.ts';
import { useSession } from '../session/session.tsx';
import { useDeed } from './deed.ts';

/** Where a code is entered. `ready`: one came here to do so. */
export function JoinForm({ ready }: { ready: boolean }) {
  const { call } = useAsking();
  const { refresh } = useSession();
  const { busy, fault, run } = useDeed();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (ready) field.current?.focus();
  }, [ready]);
  const join = (form: HTMLFormElement) =>
    run(async () => {
      const code = String(new FormData(form).get('code') ?? '').trim();
      const { org_id, name } = await call<{ org_id: string; name: string }>('accept_invitation', { p_code: code });
      form.reset();
      await refresh(org_id);
      say(`You belong to ${name} now.`);
    });
  return (
    <section class="card" aria-labelledby="join">
      <div class="card-head">
        <h2 id="join">Join another organization</h2>
      </div>
      <form
        class="card-body"
        onSubmit={(event) => {
          event.preventDefault();
          void join(event.currentTarget);
        }}
      >
        <label class="field" for="code">
          <span>The code that one of its owners gave you</span>
        </label>
        <div class="one-line">
          <input
            ref={field}
            id="code"
            class="input mono"
            name="code"
            required
            minLength={32}
            maxLength={40}
            autocomplete="off"
            spellcheck={false}
            aria-invalid={fault !== ''}
          />
          <button type="submit" class="button" disabled={busy}>
            Join
          </button>
        </div>
        <p role="alert" class="problem">
          {fault}
        </p>
      </form>
    </section>
  );
}
