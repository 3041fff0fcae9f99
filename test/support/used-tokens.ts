/** What so many runs of two turns use, each of 1,000 tokens in and 100 out. */
export const used = (runs: number) => ({
  input_tokens: 2000 * runs,
  output_tokens: 200 * runs,
  model_calls: 2 * runs,
  estimated_calls: 0,
  unpriced_calls: 0,
});
