import { runQuery, sessionQuery } from '../../edge/validation/queries.js';
import { RunRequestDto } from '../runs/dto/run-request.dto.js';
import { GREETING } from './field-notes.js';
import { FLAG, TEXT, component, listOf, objectOf } from '../../edge/openapi/json-schema.js';
import {
  EVENTS,
  type Example,
  JSON_TYPE,
  type Operation,
  SSE_TYPE,
  answer,
} from '../../edge/openapi/operation.js';

const step = (id: string, description: string, depends_on: readonly string[] = []) => ({
  id,
  name: id,
  description,
  depends_on,
});

const EXAMPLES: Readonly<Record<string, Example>> = {
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

/** The interface that existing clients speak. */
export const AGENT_OPERATIONS: Readonly<Record<string, Operation>> = {
  'POST /': {
    id: 'run',
    tag: 'agent',
    summary: 'Run the agent',
    description:
      'Answers with Server-Sent Events; with one JSON object at the end where `Accept` names only `application/json`; ' +
      'with 202 at once where `background` is true. `Content-Location` names the run.',
    query: runQuery,
    body: RunRequestDto,
    examples: EXAMPLES,
    headers: ['Idempotency-Key'],
    answers: {
      200: { [SSE_TYPE]: EVENTS, [JSON_TYPE]: component('EndedRun') },
      202: { [JSON_TYPE]: component('AcceptedRun') },
    },
    refusals: [404, 409, 422],
  },
  'POST /get-messages': {
    id: 'getMessages',
    tag: 'agent',
    summary: "A session's history",
    query: sessionQuery,
    answers: answer(200, listOf(component('Message'))),
    refusals: [404],
  },
  'POST /clear-messages': {
    id: 'clearMessages',
    tag: 'agent',
    summary: "Empties a session's history and context from the next run on",
    query: sessionQuery,
    answers: answer(200, objectOf({ success: FLAG, message: TEXT })),
    refusals: [404, 409],
  },
};
