import { Module } from '@nestjs/common';
import { ConsoleAuthController } from './console-auth.controller.js';
import { SignInLinksController } from './sign-in-links.controller.js';

@Module({ controllers: [ConsoleAuthController, SignInLinksController] })
export class ConsoleAuthModule {}
