// What the types of lit-html name besides themselves; the pages use nothing of it.

declare module "trusted-types/lib/index.js" {
  export type TrustedHTML = unknown;
  export type TrustedTypesWindow = unknown;
}
