import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Principal } from '#access';
import { Caller } from '../../edge/admission/caller.js';
import { MCP_PATH, RESOURCE_METADATA_PATH } from '../../edge/admission/mcp-door.js';
import { PublicAddress } from '../../edge/public-address.js';
import { JSON_TYPE, Operation, SSE_TYPE, answer } from '../../edge/routes/operation.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { MCP_EXAMPLES, MCP_MESSAGE, MCP_ANSWER, RESOURCE_METADATA } from './mcp-schemas.js';

/** The service as an MCP server, and what tells a client how to come in (RFC 9728). */
@Controller()
export class McpController {
  constructor(
    private readonly endpoint: McpEndpoint,
    private readonly address: PublicAddress,
  ) {}

  @Post('mcp')
  @Operation({
    id: 'mcp',
    tag: 'mcp',
    summary: 'The service as an MCP server',
    description:
      'One message of the Model Context Protocol, of the revision 2026-07-28 or an older one. What the tools are, and what ' +
      'else is answered, the protocol itself tells: `tools/list`.',
    scope: 'run',
    orScope: 'read',
    message: MCP_MESSAGE,
    examples: MCP_EXAMPLES,
    headers: ['Idempotency-Key'],
    answers: {
      200: { [JSON_TYPE]: MCP_ANSWER, [SSE_TYPE]: { type: 'string' } },
      202: null,
      400: { [JSON_TYPE]: MCP_ANSWER },
      404: { [JSON_TYPE]: MCP_ANSWER },
    },
  })
  post(
    @Caller() caller: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.endpoint.answer(caller, request, reply);
  }

  @Get(RESOURCE_METADATA_PATH)
  @Operation({
    id: 'resourceMetadata',
    tag: 'mcp',
    summary: 'How MCP clients come in',
    scope: null,
    ignoresQuery: true,
    answers: answer(200, RESOURCE_METADATA),
  })
  metadata(@Req() request: FastifyRequest) {
    return this.describe(request);
  }

  @Get(`${RESOURCE_METADATA_PATH}${MCP_PATH}`)
  @Operation({
    id: 'mcpResourceMetadata',
    tag: 'mcp',
    summary: 'How MCP clients come in, where they look for it first',
    scope: null,
    ignoresQuery: true,
    answers: answer(200, RESOURCE_METADATA),
  })
  metadataOfMcp(@Req() request: FastifyRequest) {
    return this.describe(request);
  }

  /** No authorization server is named: keys are given out by whoever runs the service. */
  private describe({ headers }: FastifyRequest) {
    const base = this.address.of(headers);
    return {
      resource: base + MCP_PATH,
      resource_name: 'Annals',
      bearer_methods_supported: ['header'],
      scopes_supported: ['run', 'read'],
      resource_documentation: `${base}/docs`,
    };
  }
}
