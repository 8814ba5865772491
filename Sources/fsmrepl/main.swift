print("to be built")
