import { endsWithChecksum } from './checksum.ts';

/**
 * The form of tickets, as stream.mint_ticket (sql/797_stream_tickets.sql) generates them: `st_` +
 * 26 random characters + 6 of checksum, base62.
 */
const TICKET_PATTERN = /^st_[0-9A-Za-z]{32}$/;

/** Whether the form and the checksum of `ticket` are right. */
export function isWellFormedTicket(ticket: string): boolean {
  return TICKET_PATTERN.test(ticket) && endsWithChecksum(ticket);
}
