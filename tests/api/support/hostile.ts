import fc from 'fast-check';

/** Random values for a query parameter, well-formed or not. */
export const anyQueryValue = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }).map((text) => encodeURIComponent(text.toWellFormed())),
  fc.string({ maxLength: 60 }).map((text) => text.replaceAll(/[#\s]/g, '%')),
  fc.constantFrom(
    ...['%', '%0', '%00', '%F0%9F%98%80', "'", '"', '\\', '$1', '{}', '[]', 'null', 'all', 'open', '-1', '0', '-0'],
    ...['1e9', '0.1', '.5', '5.', '%2527', '+', '&=&', '%25', '_', '%E2%80%8B', '%C2%BD', '%EF%B7%BA'],
  ),
  fc.integer().map(String),
  fc.double({ noNaN: true }).map(String),
  fc.constant('9'.repeat(400)),
);
