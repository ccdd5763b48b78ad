import { useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.tsx';
import { showToast } from '../components/toast.tsx';
import type { Opportunity } from './frames.ts';
import type { MarketQueries } from './market_queries.ts';

const reasons = [
  'Not the same question',
  'The venues settle differently',
  'The price was not available',
  'The fees are wrong',
  'Other',
];

/** Reports a wrong opportunity. The service stores the evidence of that moment with the report. */
export function ReportDialog({
  opportunity,
  ask,
  onClose,
}: {
  opportunity: Opportunity;
  ask: MarketQueries;
  onClose(): void;
}) {
  const [reason, setReason] = useState(reasons[0] ?? '');
  const [detail, setDetail] = useState('');
  const [problem, setProblem] = useState<string>();
  const [sending, setSending] = useState(false);

  const send = async () => {
    setSending(true);
    try {
      await ask.report(opportunity.id, reason, detail);
      showToast('Report sent. An operator reviews it with the order books of that moment.');
      onClose();
    } catch (error) {
      setProblem((error as Error).message);
      setSending(false);
    }
  };
  return (
    <Dialog
      title="Report this opportunity"
      onClose={onClose}
      onSubmit={send}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button first" disabled={sending}>
            {sending ? 'Sending…' : 'Report'}
          </button>
        </>
      }
    >
      <p>{opportunity.title ?? opportunity.id}</p>
      <ul class="small">
        {opportunity.legs.map((leg) => (
          <li key={leg.contract_id}>{leg.instruction}</li>
        ))}
      </ul>
      <label class="field">
        <span>What is wrong?</span>
        <select class="input" value={reason} onChange={(event) => setReason(event.currentTarget.value)}>
          {reasons.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Details</span>
        <textarea
          class="input"
          rows={4}
          maxLength={2000}
          value={detail}
          onInput={(event) => setDetail(event.currentTarget.value)}
        />
        <small>Optional. The order books of that moment are stored with the report.</small>
      </label>
      {problem && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </Dialog>
  );
}
