import { CopyButton } from '../components/copy_button.tsx';
import { exactDollars } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { contractsOf, delayOf, formatPrice } from './amounts.ts';
import type { Leg } from './frames.ts';
import { safeLink } from './safe_link.ts';

/**
 * The contracts to buy, one per leg. The sentence is the field `instruction`, the same as over
 * REST, stream and MCP. The page derives nothing from side and outcome itself.
 */
export function LegsTable({ legs }: { legs: readonly Leg[] }) {
  return (
    <ol class="legs">
      {legs.map((leg) => (
        <li key={leg.contract_id} class={leg.venue}>
          <p class="buy">
            <span class="swatch" aria-hidden="true" />
            <strong>{leg.instruction}</strong>
          </p>
          <p class="price" title={exactDollars(leg.ask_usd)}>
            <strong>{formatPrice(leg.ask_usd)}</strong>
            {leg.fee_usd !== undefined && <span class="muted"> + {formatPrice(leg.fee_usd)} fee</span>}
          </p>
          <p class="muted small">
            {leg.venue} · {contractsOf(leg.available_contracts)} available
            {delayOf(leg) !== null && ` · orders wait ${delayOf(leg)} before they match`}
          </p>
          <p class="contract">
            <code title={leg.contract_id}>{leg.contract_id}</code>
            <CopyButton text={leg.contract_id} label={`contract id on ${leg.venue}`} kind="button little" />
            {safeLink(leg.url) && (
              <a class="button little" href={safeLink(leg.url)} target="_blank" rel="noopener noreferrer">
                Open
                <Icon name="link" />
                <span class="visually-hidden"> {leg.venue} in a new tab</span>
              </a>
            )}
          </p>
        </li>
      ))}
    </ol>
  );
}
