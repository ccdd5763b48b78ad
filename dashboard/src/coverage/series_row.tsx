import type { ComponentChildren } from 'preact';
import { count } from '../components/format.ts';
import { Cell, GridRow } from '../components/grid.tsx';
import {
  byFrequency,
  type Codes,
  type Coverage,
  type Series,
  seriesContext,
  seriesName,
  shareText,
  sumOf,
  unitNames,
  volumeSentence,
  volumeText,
} from './coverage.ts';
import { StateBar } from './state_bar.tsx';

type Props = { row: Series; index: number; reasons: Coverage['reasons']; onOpen(row: Series): void };

/** One series of the table. Its name opens the dialog with all codes. */
export function SeriesRow({ row, index, reasons, onOpen }: Props) {
  const { venue, events, paired, candidate, waiting, unpaired, unread, volume } = row;
  const name = seriesName(row);
  return (
    <GridRow kind={`series-row ${venue}`} index={index}>
      <Cell kind="series-cell">
        <button type="button" class="series-name" title={name} aria-haspopup="dialog" onClick={() => onOpen(row)}>
          {name}
        </button>
        <span class="context">
          <span class="swatch" aria-hidden="true" />
          <span class="context-text">{seriesContext(row)}</span>
        </span>
        <StateBar counts={row} />
      </Cell>
      <CountCell kind="events" many={events} />
      <CountCell kind="paired" many={paired}>
        {paired > 0 && shareText(paired, events)}
      </CountCell>
      <CountCell kind="candidate" many={candidate}>
        {waiting > 0 && <span class="waits">{count(waiting)} waiting</span>}
      </CountCell>
      <CountCell kind="unpaired" many={sumOf(unpaired)}>
        <CodesText codes={unpaired} reasons={reasons} />
      </CountCell>
      <CountCell kind="unread" many={sumOf(unread)}>
        <CodesText codes={unread} reasons={reasons} />
      </CountCell>
      <Cell kind="count-cell of-volume">
        <span class={volume ? 'many' : 'many is-zero'} title={volumeSentence(row)}>
          {volumeText(volume)}
        </span>
        <span class="sub">{volume && unitNames[volume.unit]}</span>
      </Cell>
    </GridRow>
  );
}

function CountCell({ kind, many, children }: { kind: string; many: number; children?: ComponentChildren }) {
  return (
    <Cell kind={`count-cell of-${kind}`}>
      <span class={many > 0 ? 'many' : 'many is-zero'}>{count(many)}</span>
      {/* Also without a text, so that the numbers of a row are on one line. */}
      <span class="sub">{children}</span>
    </Cell>
  );
}

/** The most frequent code, and how many others there are. All of them are in the title. */
function CodesText({ codes, reasons }: { codes: Codes; reasons: Coverage['reasons'] }) {
  const sorted = byFrequency(codes);
  const [first] = sorted[0] ?? [];
  if (first === undefined) return null;
  const title = sorted.map(([code, many]) => `${count(many)} ${code}: ${reasons[code] ?? ''}`).join('\n');
  return (
    <>
      <span class="code" title={title}>
        {first}
      </span>
      {sorted.length > 1 && <span class="more-codes">+{sorted.length - 1}</span>}
    </>
  );
}
