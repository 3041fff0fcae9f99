import { describe, expect, it } from '@jest/globals';
import { stepOf, workflowOf } from '../../../../test/support/workflows.js';
import { parseRunWorkflow, runWorkflowDefinition, workflowInstructions } from './run-workflow-tool.js';
import { stepMessage } from './step-message.js';

const report = { ...workflowOf(stepOf('a')), id: 'report', name: 'Report', description: 'writes a report' };
const other = { ...workflowOf(stepOf('a')), id: 'other', name: 'Other', description: 'does something else' };
const workflows = [report, other];

describe('the tool that runs workflows', () => {
  it('takes the id of one of them, and an input', () => {
    const { name, description, parameters } = runWorkflowDefinition(workflows);
    expect(name).toBe('run_workflow');
    expect(description).toContain('Workflows: "report" (Report), "other" (Other).');
    expect(parameters).toMatchObject({
      properties: { workflow_id: { enum: ['report', 'other'] }, input: { type: 'string' } },
      required: ['workflow_id'],
    });
  });

  it('has a description that every server takes', () => {
    const many = Array.from({ length: 50 }, (_, i) => ({ ...report, id: `w${i}`, name: 'x'.repeat(100) }));
    expect(runWorkflowDefinition(many).description).toHaveLength(1000);
  });

  it('is recommended in the system message, with what each workflow is for', () => {
    const text = workflowInstructions(workflows);
    expect(text).toContain('- report (Report): writes a report\n- other (Other): does something else\n');
    expect(text).toContain('Where one of them fits the task, use it');
  });

  it.each([
    [{ workflow_id: 'other' }, { workflow: other }],
    [{ workflow_id: 'other', input: null }, { workflow: other }],
    [
      { workflow_id: 'report', input: 'cats' },
      { workflow: report, input: 'cats' },
    ],
    [
      { workflow_id: 'report', input: { about: 'cats' } },
      { workflow: report, input: '{"about":"cats"}' },
    ],
    [{ workflow_id: 'x' }, 'there is no workflow "x"; workflow_id is one of "report", "other"'],
    [{}, 'there is no workflow without an id; workflow_id is one of "report", "other"'],
    ['report', 'the arguments must be an object'],
    [null, 'the arguments must be an object'],
  ])('understands %j', (input, expected) => {
    expect(parseRunWorkflow(input, workflows)).toEqual(expected);
  });
});

describe('the message of a step', () => {
  it('holds the description verbatim, behind the outputs, before the schema and the errors', () => {
    const description = '  Write "it"\n\n${down}, \\n as it is  ';
    const text = stepMessage({
      workflow: report,
      step: { ...stepOf('a'), description, output_schema: { type: 'number' } },
      input: 'INPUT',
      outputs: [
        { step: 'x', text: 'OUT X' },
        { step: 'y', text: 'OUT Y' },
      ],
      errors: ['ERROR 1', 'ERROR 2'],
    });
    const parts = ['INPUT', 'OUT X', 'OUT Y', description, '{"type":"number"}', '- ERROR 1\n- ERROR 2'];
    const places = parts.map((part) => text.indexOf(part));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(Math.min(...places)).toBeGreaterThan(0);
  });
});
