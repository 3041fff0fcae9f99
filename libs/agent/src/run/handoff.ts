import type { SpecialistAgent } from '#domain';
import type { Tool } from '../tools/tool.js';

const MAX_NAME = 64;

/** What to say of handing on, in the system message; null where there is nobody to hand on to. */
export function handoffNotice(agents: readonly SpecialistAgent[]): string | null {
  if (agents.length === 0) return null;
  return 'You can hand the conversation off to a specialised agent with a transfer tool, where that one fits the task better.';
}

/** A tool for each agent to whom the conversation can be handed off by whoever has it now, the main agent included. */
export function handoffTools(agents: readonly SpecialistAgent[], current: string | undefined): Tool[] {
  const names = new Set<string>();
  const tools = agents.map((agent) => handoffTool(agent, toolName(agent.name, names)));
  const active = agents.findIndex(({ name }) => name === current);
  if (active < 0) return tools;
  const main = { name: mainName(agents), description: 'the main agent, who had the conversation first' };
  return [...tools.filter((_, at) => at !== active), handoffTool(main, toolName('main_agent', names))];
}

/** Names that the tools of a run must leave to handoffs. */
export function reservedHandoffNames(agents: readonly SpecialistAgent[]): string[] {
  const names = new Set<string>();
  return [...agents.map(({ name }) => toolName(name, names)), toolName('main_agent', names)];
}

function handoffTool({ name, description }: SpecialistAgent, tool: string): Tool {
  return {
    definition: {
      name: tool,
      description: `Hand the conversation off to ${name}: ${description}`,
      parameters: { type: 'object', properties: {}, additionalProperties: false },
    },
    isRepeatable: true,
    call: () =>
      Promise.resolve({
        content: `The conversation was handed off to ${name}.`,
        events: [{ type: 'agent_handoff', data: { agent: name } }],
      }),
  };
}

/** What the main agent is called in `agent_handoff`: as none of the others is. */
function mainName(agents: readonly SpecialistAgent[]): string {
  const taken = new Set(agents.map(({ name }) => name));
  let name = 'main';
  for (let n = 2; taken.has(name); n++) name = `main_${n}`;
  return name;
}

/** What the model's API takes as a name; equal ones are told apart by a number. */
function toolName(agent: string, taken: Set<string>): string {
  const plain = `transfer_to_${agent.replace(/[^A-Za-z0-9_-]/g, '_')}`.slice(0, MAX_NAME);
  let name = plain;
  for (let n = 2; taken.has(name); n++) name = `${plain.slice(0, MAX_NAME - 4)}_${n}`;
  taken.add(name);
  return name;
}
