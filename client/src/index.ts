export type * from './api_types.ts';
export { ParallaxError } from './errors.ts';
export type {
  FeedFrame,
  Frame,
  MarketFrame,
  OpportunityFrame,
  PriceFrame,
  QuoteFrame,
  RemovedFrame,
  StatusFrame,
} from './frames.ts';
export type { Change, LiveChannel, LiveOptions, StateFrame } from './live_channel.ts';
export type { LiveState } from './live_state.ts';
export { Parallax, type ParallaxOptions } from './parallax.ts';
export { verifyWebhook, WebhookVerificationError } from './webhook.ts';
