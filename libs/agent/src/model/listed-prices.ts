/** US dollars for a million tokens, in the standard tier. */
export const LISTED = {
  version: '2026-11-26',
  sources: {
    openai: { url: 'https://developers.openai.com/api/docs/pricing', as_of: '2026-11-01' },
  },
  models: {
    'gpt-5-nano': { input: '0.05', cached_input: '0.005', output: '0.4', source: 'openai' },
    'gpt-5-mini': { input: '0.25', cached_input: '0.025', output: '2', source: 'openai' },
    'gpt-5': { input: '1.25', cached_input: '0.125', output: '10', source: 'openai' },
  },
} as const;
