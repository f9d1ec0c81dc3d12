import {start} from "../shell.js";

start(async () => {});
