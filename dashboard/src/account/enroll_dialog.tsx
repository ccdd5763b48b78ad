import type { AuthMFAEnrollTOTPResponse } from '@supabase/supabase-js';
import { useState } from 'preact/hooks';
import { CopyableText } from '../components/copyable_text.tsx';
import { Dialog } from '../components/dialog.tsx';
import { showToast } from '../components/toast.tsx';
import { signInErrorText } from '../session/auth_errors.ts';
import type { Client } from '../session/client.ts';
import { CodeField } from '../session/code_field.tsx';
import { useTask } from '../session/use_task.ts';

type Enrolled = NonNullable<AuthMFAEnrollTOTPResponse['data']>;
type EnrollProps = { client: Client; enrolled: Enrolled; onClose(): void };

/** Shows the secret of a new authenticator app and checks its first code. */
export function EnrollDialog({ client, enrolled, onClose }: EnrollProps) {
  const [code, setCode] = useState('');
  const { busy, errorText, run } = useTask();
  const verify = async () => {
    const { error } = await client.auth.mfa.challengeAndVerify({ factorId: enrolled.id, code });
    setCode('');
    if (error) throw new Error(signInErrorText(error));
    showToast('Two-step sign-in is on. Your other sessions have ended.');
    onClose();
  };
  const cancel = () => {
    void client.auth.mfa.unenroll({ factorId: enrolled.id });
    onClose();
  };
  return (
    <Dialog
      title="Add authenticator app"
      onClose={cancel}
      onSubmit={() => void run(verify)}
      foot={
        <>
          <button type="button" class="button" onClick={cancel}>
            Cancel
          </button>
          <button type="submit" class="button first" disabled={busy}>
            Turn on
          </button>
        </>
      }
    >
      <p>Scan this with your authenticator app, or enter the secret there.</p>
      <img
        class="qr"
        src={pictureUrl(enrolled.totp.qr_code)}
        alt="QR code of the secret below"
        width={200}
        height={200}
      />
      <CopyableText text={enrolled.totp.secret} label="the secret" whole />
      <CodeField value={code} onInput={setCode} focus />
      <p role="alert" class="problem">
        {errorText}
      </p>
    </Dialog>
  );
}

/** Auth returns the SVG as it is after this head; a URL must encode its # and quotes. */
const HEAD = 'data:image/svg+xml;utf-8,';

export const pictureUrl = (qr: string): string =>
  qr.startsWith(HEAD) ? `data:image/svg+xml;charset=utf-8,${encodeURIComponent(qr.slice(HEAD.length))}` : qr;
