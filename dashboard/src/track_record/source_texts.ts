/** Marks a record whose results are not those of real markets. */
export const sourceTexts = {
  simulated: 'This record is simulated: its prices and results are invented. It is no record of real markets.',
  replay: 'This record is of a replay: its prices and results are those of a recording.',
};
