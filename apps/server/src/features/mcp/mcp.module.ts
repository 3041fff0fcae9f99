import { Module } from '@nestjs/common';
import { AnswerSender } from './answer-sender.js';
import { McpController } from './mcp.controller.js';
import { McpEndpoint } from './mcp-endpoint.js';
import { McpTools } from './mcp-tools.js';
import { ProtocolServers } from './protocol-server.js';
import { RunFollower } from './run-follower.js';
import { RunResults } from './run-results.js';
import { RunEndings } from './run-endings.js';
import { RunTools } from './run-tools.js';
import { SessionTools } from './session-tools.js';
import { RunTasks } from './tasks.js';

/** Needs what RunsModule exports. */
@Module({
  controllers: [McpController],
  providers: [
    McpEndpoint,
    ProtocolServers,
    AnswerSender,
    McpTools,
    RunTools,
    RunEndings,
    SessionTools,
    RunTasks,
    RunFollower,
    RunResults,
  ],
})
export class McpModule {}
