import { hostContract } from "./contract.ts";
import { scriptedFixture } from "./scripted-fixture.ts";

hostContract("scripted", scriptedFixture, { lacks: { processes: "it starts none" } });
