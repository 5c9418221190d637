import { hostContract } from "./contract.ts";
import { opencodeFixture } from "./opencode-fixture.ts";

hostContract("opencode", opencodeFixture);
