/** What a page of the console is told of the service before anybody has signed in. */
export class ConsoleTerms {
  constructor(
    readonly version: string,
    /** Whether the built-in demo model answers. */
    readonly demoModel: boolean,
  ) {}
}
