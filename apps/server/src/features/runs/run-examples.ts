import type { Example } from '../../edge/routes/operation.js';
import { GREETING } from './shared/greeting.js';

const step = (id: string, description: string, depends_on: readonly string[] = []) => ({
  id,
  name: id,
  description,
  depends_on,
});

/** Bodies of `POST /`. */
export const RUN_EXAMPLES: Readonly<Record<string, Example>> = {
  greeting: { summary: 'A greeting', value: { message: GREETING } },
  tokens: {
    summary: 'Token by token, with rules',
    value: { message: GREETING, mode: 'flash', streaming_tokens: true, rules: ['Answer in one sentence.'] },
  },
  background: {
    summary: 'In the background; read it at GET /runs/{run_id}/events',
    value: { message: GREETING, background: true },
  },
  schedule: {
    summary: 'Every weekday at nine',
    value: {
      message: GREETING,
      schedules: [{ schedule: '0 9 * * 1-5', timezone: 'Europe/Berlin', message: 'What is new today?' }],
    },
  },
  final_output: {
    summary: 'With output that fits a schema',
    value: {
      message: 'What is 6 x 7?',
      final_output: {
        name: 'calculation',
        strict: true,
        schema: {
          type: 'object',
          properties: { expression: { type: 'string' }, value: { type: 'number' } },
          required: ['expression', 'value'],
          additionalProperties: false,
        },
      },
    },
  },
  workflow: {
    summary: 'A workflow',
    value: {
      message: 'Carry out run_workflow {"workflow_id": "letter", "input": "thanks for the flowers"}',
      workflows: [
        {
          id: 'letter',
          name: 'Letter',
          description: 'Writes a letter',
          steps: [
            step('draft', 'Draft the letter.'),
            step('title', 'Find a title.'),
            step('final', 'Write the letter.', ['draft', 'title']),
          ],
        },
      ],
    },
  },
};
