import manifest from '../package.json' with { type: 'json' }

/** The version of the tool, as documents and `--version` give it. */
export const TOOL_VERSION: string = manifest.version
