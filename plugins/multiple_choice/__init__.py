"""Multiple choice on a file of the user's: the forms of MMLU and AGIEval."""
