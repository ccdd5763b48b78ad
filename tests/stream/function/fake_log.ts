import type { PublicationLog } from '../../../functions/stream/log_reader.ts';
import type { LogPage } from '../../../functions/stream/queries.ts';

/** A publication log in memory. Each frame contains its offset. */
export class FakeLog implements PublicationLog {
  epoch = 'one';
  top = 0;
  reads = 0;
  positionReads = 0;

  async channelPositions(channels: readonly string[]) {
    this.positionReads += 1;
    return channels.map((channel) => ({ channel, epoch: this.epoch, offset: this.top }));
  }

  async readPublications(_: string, epoch: string, after: number): Promise<LogPage> {
    this.reads += 1;
    const recovered = epoch === this.epoch && after <= this.top;
    const frames = recovered ? framesFrom(after + 1, Math.min(this.top, after + 500)) : [];
    return { epoch: this.epoch, top: this.top, recovered, upto: after + frames.length, frames };
  }
}

export const framesFrom = (first: number, last: number) =>
  Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => `{"type":"price","n":${first + n}}`);
