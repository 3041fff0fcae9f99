import type { CallerTool } from '#domain';
import type { Tool } from './tool.js';

/** A tool that whoever asked for the run carries out: its calls wait for an answer. */
export const callerTool = ({ name, description, parameters, strict }: CallerTool): Tool => ({
  // Models' APIs want it said that arguments are an object.
  definition: {
    name,
    description,
    parameters: { type: 'object', ...parameters },
    ...(strict === undefined ? {} : { strict }),
  },
  isRepeatable: false,
  isCallers: true,
  call: () => Promise.resolve({ content: 'the caller carries this tool out', isError: true }),
});
