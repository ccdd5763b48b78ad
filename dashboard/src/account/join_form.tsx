import { useEffect, useRef } from 'preact/hooks';
import { showToast } from '../components/toast.tsx';
import { useSession } from '../session/session.tsx';
import { useMutation } from '../session/use_mutation.ts';
import { useRpc } from '../session/use_rpc.ts';

/**
 * The form for an invitation code. `ready` focuses the field: the user followed “Join with a code”.
 */
export function JoinForm({ ready }: { ready: boolean }) {
  const { call } = useRpc();
  const { refresh } = useSession();
  const { busy, errorText, run } = useMutation();
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
      showToast(`You joined ${name}.`);
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
          <span>Invitation code</span>
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
            aria-invalid={errorText !== ''}
          />
          <button type="submit" class="button" disabled={busy}>
            Join
          </button>
        </div>
        <p role="alert" class="problem">
          {errorText}
        </p>
      </form>
    </section>
  );
}
